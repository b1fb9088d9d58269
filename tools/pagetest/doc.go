// Package pagetest holds tests only: of the page about an Explanation, in a real
// browser.
//
// The invariant that holds inside: what is tested is the page that package page writes
// for everybody.
package pagetest
