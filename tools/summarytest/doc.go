// Package summarytest has only tests of the page about a batch, in a real browser. The tested page
// is what package summary writes for users.
package summarytest
