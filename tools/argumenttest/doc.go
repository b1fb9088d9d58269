// Package argumenttest holds tests only: of the page of arguments, in a real browser.
//
// The invariant that holds inside: what is tested is the page that inev ctl writes for
// everybody.
package argumenttest
