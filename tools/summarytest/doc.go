// Package summarytest holds tests only: of the page about a batch, in a real browser.
//
// The invariant that holds inside: what is tested is the page that package summary
// writes for everybody.
package summarytest
