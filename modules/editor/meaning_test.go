package editor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/modules/editor"
)

// TestMeaningIsThatOfTheFormula: the sentence with which a hover begins is enough to write the formula down again.
func TestMeaningIsThatOfTheFormula(t *testing.T) {
	c := connect(t, local(t), editor.Options{})
	folder := t.TempDir()
	c.begin(folder, object{"shows": true})
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		formulas := rapid.SliceOfN(rapid.Custom(drawnPattern), 1, 20).Draw(t, "formulas")
		n++
		u := c.open(filepath.Join(folder, fmt.Sprintf("f%d.inev", n)), strings.Join(formulas, "\n")+"\n")
		for line, formula := range formulas {
			sentence := meaningIn(t, c.call("textDocument/hover", at(u, line, 1)))
			again := writtenAgain(sentence)
			want, err := actl.Parse(context.Background(), formula)
			if err != nil {
				t.Fatal(err)
			}
			got, err := actl.Parse(context.Background(), again)
			if err != nil || !got.Equal(want) {
				t.Fatalf("%s: %q is understood as %q (%v)", formula, sentence, again, err)
			}
		}
	})
}

// meaningIn returns the first paragraph of a hover.
func meaningIn(t *rapid.T, answer string) string {
	var hover struct{ Contents struct{ Value string } }
	if err := json.Unmarshal([]byte(answer), &hover); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(hover.Contents.Value, "\n\n")
	return first
}

// drawnPattern draws a pattern with steps and a scope.
func drawnPattern(t *rapid.T) string {
	step := rapid.SampledFrom([]string{"A", "r1(d1)", `"PUT !1"`, `"a, b"`, "/x.*y/", "{P, Q}", `"it happens"`, "ACK"})
	steps := func(least, most int) string {
		return strings.Join(rapid.SliceOfN(step, least, most).Draw(t, "steps"), ", ")
	}
	name := rapid.SampledFrom([]string{"Inev", "Response", "Never", "Precedes", "Always", "AtMost", "DeadlockFree"}).Draw(t, "name")
	var parts []string
	switch name {
	case "Inev", "Never":
		parts = append(parts, steps(1, 4))
	case "Response":
		parts = append(parts, steps(1, 1), steps(1, 3))
	case "Precedes":
		parts = append(parts, steps(1, 3), steps(1, 1))
	case "Always":
		parts = append(parts, steps(1, 1))
	case "AtMost":
		parts = append(parts, fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "times")), steps(1, 1))
	}
	switch rapid.IntRange(0, 4).Draw(t, "scope") {
	case 1:
		parts = append(parts, "before "+steps(1, 1))
	case 2:
		parts = append(parts, "after "+steps(1, 1))
	case 3:
		parts = append(parts, "between "+steps(1, 1)+" and "+steps(1, 1))
	case 4:
		parts = append(parts, "after "+steps(1, 1)+" until "+steps(1, 1))
	}
	if len(parts) == 0 {
		return name
	}
	return name + "(" + strings.Join(parts, "; ") + ")"
}

// readings are the sentences that a person reads as a pattern; S is a step, L a list of later ones, and # a number.
var readings = []struct{ sentence, formula string }{
	{"On every run S happensL. A run goes on forever, or ends in a deadlock.", "Inev($1$2"},
	{"After every S, strictly later, S happensL.", "Response($1; $2$3"},
	{"No S is followed by SL.", "Never($1, $2$3"},
	{"S does not happen.", "Never($1"},
	{"No S happens before the first S.", "Precedes($2; $1"},
	{"No S happens before SL have happened.", "Precedes($2$3; $1"},
	{"Nothing but S happens.", "Always($1"},
	{"S happens at most # times?.", "AtMost($2; $1"},
	{"No run ends.", "DeadlockFree("},
}

var scopeReadings = []struct{ sentence, scope string }{
	{"Until the first S, where one comes: ", "before $1"},
	{"From the first S on: ", "after $1"},
	{"From each S to the next S, where one comes: ", "between $1 and $2"},
	{"From each S to the next S, or forever: ", "after $1 until $2"},
}

// readingOf makes an expression of a sentence.
func readingOf(sentence string) *regexp.Regexp {
	const step = "`[^`]+`"
	expression := strings.NewReplacer("S", "("+step+")", "L", "((?:, and later (?:by )?"+step+")*)", "#", `(\d+)`, ".", `\.`).Replace(sentence)
	return regexp.MustCompile("^" + expression)
}

// writtenAgain returns the formula that a sentence describes.
func writtenAgain(sentence string) string {
	scope := ""
	for _, r := range scopeReadings {
		if found := readingOf(r.sentence); found.MatchString(sentence) {
			matched := found.FindString(sentence)
			scope = found.ReplaceAllString(matched, r.scope)
			sentence = strings.TrimPrefix(sentence, matched)
		}
	}
	for _, r := range readings {
		found := regexp.MustCompile(readingOf(r.sentence).String() + "$")
		if !found.MatchString(sentence) {
			continue
		}
		text := found.ReplaceAllString(sentence, r.formula)
		text = regexp.MustCompile(", and later (?:by )?`").ReplaceAllString(text, ", `")
		switch {
		case scope != "" && strings.HasSuffix(text, "("):
			text += scope + ")"
		case scope != "":
			text += "; " + scope + ")"
		default:
			text += ")"
		}
		return strings.ReplaceAll(text, "`", "")
	}
	return sentence
}
