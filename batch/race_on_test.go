//go:build race

package batch_test

// raceDetected reports whether the race detector watches, under which tests take ten times as
// long.
const raceDetected = true
