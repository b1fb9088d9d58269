// Package house has the tests of the project as a whole: its packages against their table, its public
// API, its documents and their examples. It has no code but tests, which run in the top folder of the
// module.
package house
