// Package asjson writes values as JSON that hold states and texts of a model.
//
// The invariant that holds inside: a state has its name, and a text that is no UTF-8
// is still told from others: what encoding/json would replace by one and the same
// character stands as \x and two digits.
package asjson
