package inev_test

import (
	"regexp"
	"strings"
	"testing"
)

// asksForChain is what code is like that is written twice, for chains and for other properties.
var asksForChain = regexp.MustCompile(`\.Chain\(\)|\bchain [!=]= nil|\.Enriched\(\)`)

// mostAsking is the number of places that may ask: it may only fall.
const mostAsking = 15

// TestFewAskForChains: what a property is shows behind it in few places only, and in package
// explain in none. docs/decisions.md names the number.
func TestFewAskForChains(t *testing.T) {
	var places []string
	for _, source := range sources(t) {
		if isWithin(source.path, "tools") || isWithin(source.path, "modules") {
			continue
		}
		if !asksForChain.MatchString(source.text) {
			continue
		}
		for line := range strings.Lines(source.text) {
			if !asksForChain.MatchString(line) {
				continue
			}
			place := source.path + ": " + strings.TrimSpace(line)
			places = append(places, place)
			if source.folder() == "explain" {
				t.Errorf("package explain asks whether a property is a chain: %s", place)
			}
		}
	}
	if len(places) > mostAsking {
		t.Errorf("%d places ask whether a property is a chain, more than %d:\n%s", len(places), mostAsking, strings.Join(places, "\n"))
	}
}
