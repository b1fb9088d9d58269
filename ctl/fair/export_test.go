package fair

// JSONSchema is jsonSchema, for tests.
var JSONSchema = jsonSchema
