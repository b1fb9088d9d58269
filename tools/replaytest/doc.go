// Package replaytest has only tests of the page of a log, in a real browser. The tested page is
// what inev replay writes for users.
package replaytest
