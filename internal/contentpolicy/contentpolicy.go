// Package contentpolicy writes the head of a page that inev writes, with the page's
// Content-Security-Policy. Nothing from outside the page is allowed.
package contentpolicy

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// Page is what the head of a page has.
type Page struct {
	Title string
	Style string
	// Policy must allow exactly this style.
	Policy string
	// IsComplete is set if nothing is loaded or built later.
	IsComplete bool
}

// WriteHead writes all of a page before its body. The writer must keep its first error. Cost O(size).
func (p Page) WriteHead(w io.Writer) {
	attributes := ""
	if p.IsComplete {
		attributes = ` data-ready="true"`
	}
	// Without an icon in the page, browsers ask a server for one.
	fmt.Fprintf(w, `<!DOCTYPE html>
<html lang="en-GB"%s>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<link rel="icon" href="data:,">
<style>%s</style>
</head>
`, attributes, p.Policy, template.HTMLEscapeString(p.Title), p.Style)
}

// Of returns the policy of a page with this script and style: it allows these two, by their hashes,
// and nothing else. Trusted types make the browser refuse code that turns text into elements. Cost
// O(size of both).
func Of(script, style string) string {
	return "default-src 'none'; script-src " + Hash(script) + "; style-src " + Hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// Static returns the policy of a page without a script, with this style. Cost O(size).
func Static(style string) string {
	return "default-src 'none'; style-src " + Hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// Hash returns the source expression of a policy that allows this text. Cost
// O(size).
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
