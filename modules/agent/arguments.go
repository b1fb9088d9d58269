package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/inev-lts/inev/internal/printable"
)

// checkArguments answers a call whose arguments do not fit the schema of its tool with a line that tells the client
// what to send: the SDK would show how a validator walked through the schema.
func (s *Server) checkArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		called, isToolCall := r.GetParams().(*mcp.CallToolParamsRaw)
		if !isToolCall {
			return next(ctx, method, r)
		}
		schema, isKnown := s.schemas[called.Name]
		if !isKnown {
			return nil, &jsonrpc.Error{
				Code:    jsonrpc.CodeInvalidParams,
				Message: fmt.Sprintf("there is no tool %q: the tools are %s", called.Name, printable.List(s.toolNames, "and")),
			}
		}
		arguments, err := fittingArguments(called, schema)
		if err != nil {
			return failure(err.Error()), nil
		}
		called.Arguments, err = json.Marshal(arguments)
		if err != nil {
			return nil, err
		}
		return next(ctx, method, r)
	}
}

// fittingArguments returns the arguments of a call, unless they do not fit the schema. Arguments whose value is null
// are left out: clients whose own schemas demand every argument send null for those that nobody gave.
func fittingArguments(called *mcp.CallToolParamsRaw, schema *jsonschema.Schema) (map[string]any, error) {
	given := map[string]any{}
	if len(called.Arguments) > 0 {
		if err := json.Unmarshal(called.Arguments, &given); err != nil {
			return nil, fmt.Errorf("the arguments of %s are an object, such as %s, and not %s", called.Name,
				exampleOf(schema), inJSON(called.Arguments))
		}
	}
	fitting := map[string]any{}
	for name, value := range given {
		if value != nil {
			fitting[name] = value
		}
	}
	return fitting, misfit(called.Name, schema, fitting)
}

// misfit returns an error about all arguments that do not fit the schema of a tool, nil if all fit.
func misfit(tool string, schema *jsonschema.Schema, arguments map[string]any) error {
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		property, isKnown := schema.Properties[name]
		switch {
		case !isKnown:
			wrong = append(wrong, fmt.Sprintf("%s has no argument %q: it takes %s", tool, name,
				printable.List(quotedNames(schema.PropertyOrder), "and")))
		case !fits(property, arguments[name]):
			wrong = append(wrong, fmt.Sprintf("%q is %s, not %s", name, kindOf(property), inJSON(arguments[name])))
		}
	}
	for _, name := range schema.Required {
		if _, isGiven := arguments[name]; !isGiven {
			wrong = append(wrong, fmt.Sprintf("%s needs %q: %s", tool, name, schema.Properties[name].Description))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(wrong, "; "))
}

// fits reports whether the value of an argument fits its schema. The schema must be one that
// [addQuestion] has made.
func fits(property *jsonschema.Schema, value any) bool {
	switch value := value.(type) {
	case string:
		isAllowed := len(property.Enum) == 0 || slices.Contains(property.Enum, any(value))
		return (property.Type == "string" || isStringOrList(property)) && isAllowed
	case bool:
		return property.Type == "boolean"
	case float64:
		return property.Type == "integer" && value == math.Trunc(value) &&
			value >= *property.Minimum && value <= *property.Maximum
	case []any:
		return isStringOrList(property) && !slices.ContainsFunc(value, isNoString)
	default:
		return false
	}
}

func isNoString(value any) bool {
	_, isString := value.(string)
	return !isString
}

// isStringOrList reports whether a schema is that of a [stringList].
func isStringOrList(property *jsonschema.Schema) bool { return property.AnyOf != nil }

// kindOf describes the values that fit the schema of an argument.
func kindOf(property *jsonschema.Schema) string {
	switch {
	case isStringOrList(property):
		return "a string or a list of strings"
	case len(property.Enum) > 0:
		return printable.List(quotedNames(property.Enum), "or")
	case property.Type == "boolean":
		return "true or false (without quotes)"
	case property.Type == "integer":
		return fmt.Sprintf("a whole number from %.0f to %.0f (without quotes)", *property.Minimum, *property.Maximum)
	default:
		return "a string"
	}
}

// exampleOf returns an object with the arguments that a tool needs.
func exampleOf(schema *jsonschema.Schema) string {
	example := map[string]string{}
	for _, name := range schema.Required {
		example[name] = "…"
	}
	return inJSON(example)
}

// quotedNames returns names in quotes.
func quotedNames[T any](names []T) []string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(fmt.Sprint(name)))
	}
	return quoted
}

// mostShown is the largest size, in bytes, of a value that an error shows.
const mostShown = 60

// inJSON returns a value as the client wrote it, or its beginning.
func inJSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	written := strings.TrimSpace(text.String())
	if len(written) <= mostShown {
		return written
	}
	return shortened(written, mostShown) + "…"
}
