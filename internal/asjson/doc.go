// Package asjson writes values with states and texts of a model as JSON.
//
// The invariant that holds inside: a state is written by its name, and different
// texts stay different: a byte that is no UTF-8, which encoding/json would
// replace, is written as \x and two digits.
package asjson
