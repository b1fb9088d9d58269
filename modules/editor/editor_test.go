package editor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/modules/editor"
)

func TestTypoIsShownAndMended(t *testing.T) {
	folder := copied(t, "travel/travel.aut")
	c := connect(t, local(t), editor.Options{})
	c.begin(folder, object{"shows": true})
	u := c.open(filepath.Join(folder, "travel", "travel.inev"), "Inev(BOOKNG_REC, TICKET_REC)\n")
	got := c.settled(u, 1)
	want := `0:5-0:15 1 unmatched: travel.aut: step 1, "BOOKNG_REC", matches no label of the model; did you mean BOOKING_REC, BOOKING_EM?`
	if len(got) != 1 || got[0] != want {
		t.Fatalf("%q, want %q", got, want)
	}
	said := c.call("textDocument/codeAction", object{"textDocument": object{"uri": u}, "range": object{"start": object{"line": 0, "character": 6}, "end": object{"line": 0, "character": 6}}, "context": object{}})
	if !strings.Contains(said, `"newText":"BOOKING_REC"`) {
		t.Fatalf("the action is %s", said)
	}
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": u, "version": 2}, "contentChanges": []object{{
		"range": object{"start": object{"line": 0, "character": 5}, "end": object{"line": 0, "character": 15}}, "text": "BOOKING_REC",
	}}})
	c.save(u)
	got = c.settled(u, 2)
	want = `0:0-0:29 1 Inev(BOOKING_REC, TICKET_REC): travel.aut: After step 3 (REFUSAL_EM) BOOKING_REC can no longer happen.`
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	lens := c.call("textDocument/codeLens", object{"textDocument": object{"uri": u}})
	if !strings.Contains(lens, "✗ travel.aut: After step 3 (REFUSAL_EM) BOOKING_REC can no longer happen.") || !strings.Contains(lens, "inev.explain") {
		t.Errorf("the lenses are %s", lens)
	}
	page := c.call("inev/explain", object{"uri": u, "line": 0, "path": filepath.Join(folder, "travel", "travel.aut")})
	if !strings.Contains(page, "Content-Security-Policy") || !strings.Contains(page, "REFUSAL_EM") {
		t.Errorf("the page is %.300s", page)
	}
}
