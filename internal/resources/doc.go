// Package resources tells how much memory the process has taken at its most, and
// how much it can have.
//
// The invariant that holds inside: a number is what the system says, or there is
// none. Nothing is guessed, and nothing is kept between calls.
package resources
