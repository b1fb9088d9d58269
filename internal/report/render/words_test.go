package render_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

// TestSentencesAreThoseOfTheText: nothing is said in two ways.
func TestSentencesAreThoseOfTheText(t *testing.T) {
	for _, m := range models() {
		e := m.explained(t)
		var b bytes.Buffer
		for _, full := range []bool{false, true} {
			if err := newWriter(t, "text", render.Options{Full: full}).Explanation(&b, e); err != nil {
				t.Fatal(err)
			}
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		s := render.NewSentences(e, printable.Text)
		said := append([]string{s.Verdict()}, s.Elsewhere()...)
		if e.Counterexample != nil {
			said = append(append(said, s.About()), s.Decisions()...)
			for _, c := range slices.Concat(s.Story().Beyond, s.Story().WaysOut) {
				said = append(said, s.Say(c))
			}
		}
		for _, sentence := range said {
			if !strings.Contains(text, strings.Join(strings.Fields(sentence), " ")) {
				t.Errorf("%s: the text does not say %q", m.name, sentence)
			}
		}
	}
}

// TestPartialJSON: what is left out is neighbourhoods, from the end.
func TestPartialJSON(t *testing.T) {
	e := models()[0].explained(t)
	for most := range e.Neighbourhoods().Len() + 2 {
		var b bytes.Buffer
		asked := 0
		err := render.PartialJSON(&b, e, func() bool { asked++; return asked <= most })
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Neighbourhoods []struct{ State int }
			Decisions      []any
		}
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if want := min(most, e.Neighbourhoods().Len()); len(got.Neighbourhoods) != want || len(got.Decisions) != len(e.Decisions) {
			t.Errorf("%d neighbourhoods and %d decisions, want %d and %d", len(got.Neighbourhoods), len(got.Decisions), want, len(e.Decisions))
		}
	}
}
