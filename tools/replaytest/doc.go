// Package replaytest holds tests only: of the page of a log, in a real browser.
//
// The invariant that holds inside: what is tested is the page that inev replay writes for
// everybody.
package replaytest
