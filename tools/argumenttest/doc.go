// Package argumenttest has only tests of the page of arguments, in a real browser. The tested page
// is what inev ctl writes for users.
package argumenttest
