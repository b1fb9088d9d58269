// Package contentpolicy writes the Content-Security-Policy of a page that inev writes.
//
// The invariant that holds inside: nothing from outside the page is allowed.
package contentpolicy

import (
	"crypto/sha256"
	"encoding/base64"
)

// Of returns the policy of a page with this script and style: it allows these two, by their hashes,
// and nothing else. Trusted types make the browser refuse code that turns text into elements. Cost
// O(size of both).
func Of(script, style string) string {
	return "default-src 'none'; script-src " + Hash(script) + "; style-src " + Hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// Static returns the policy of a page without a script, with this style. Cost O(size).
func Static(style string) string {
	return "default-src 'none'; style-src " + Hash(style) + "; img-src data:; base-uri 'none'; form-action 'none'"
}

// Hash returns the source expression of a policy that allows this text. Cost
// O(size).
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
