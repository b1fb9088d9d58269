package page

import (
	"flag"
	"testing"

	"github.com/inev-lts/inev/internal/browsertest"
)

var update = flag.Bool("update", false, "make the bundle from its source, and rewrite the golden files")

// TestBundleIsWhatTheSourceGives: nobody changes the one and forgets the other.
func TestBundleIsWhatTheSourceGives(t *testing.T) {
	browsertest.Bundle(t, map[string]string{"src/main.ts": "page.js", "src/style.css": "page.css"}, *update)
}

// TestBundleStaysInItsElement: no text of the bundle can break out of the page.
func TestBundleStaysInItsElement(t *testing.T) { browsertest.StaysInElement(t, script, style) }
