// Package pagetest has only tests of the page about an Explanation, in a real browser. The tested
// page is what package page writes for users.
package pagetest
