//go:build !race

package batch_test

const raceDetected = false
