// Package resources measures the peak memory of the process, and the memory that
// it may take.
//
// The invariant that holds inside: every number comes from the system, or there
// is none. Nothing is guessed, and nothing is kept between calls.
package resources
