package formula_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// list returns texts of a form, with commas or the like between them.
func list(n int, form, between string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(form, i)
	}
	return strings.Join(texts, between)
}

// TestShapesMadeToBeBad: what would take minutes or gigabytes is refused in one line, and
// soon.
func TestShapesMadeToBeBad(t *testing.T) {
	for name, text := range map[string]string{
		"long label":           `G "` + strings.Repeat("a", 1<<20) + `"`,
		"long chain":           "Inev(" + list(200_000, "A%d", ",") + ")",
		"large set":            "Inev({" + list(100_001, "A%d", ",") + "})",
		"nested repeats":       "Inev(/((a{1000}){1000})/)",
		"repeats":              "Inev({" + list(2000, "/(a{990}b%d)/", ",") + "})",
		"repeats in atoms":     list(2000, "/a{990}b%d/", " || "),
		"repeats in sets":      list(400, "{/a{990}b%d/, /b{990}/, /c{990}/}", " || "),
		"parentheses":          strings.Repeat("(", 100_000) + "A" + strings.Repeat(")", 100_000),
		"negations":            strings.Repeat("!", 500_000) + "A",
		"far future":           strings.Repeat("X ", 400_000) + "A",
		"often":                "AtMost(100000000000000000000; A)",
		"more than may be":     "AtMost(1001; A)",
		"brackets that do not": "Inev(" + strings.Repeat("(", 400_000) + ")",
	} {
		if !randomlts.Whole() && name == "repeats in sets" {
			continue // takes half the time of all
		}
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
			defer stop()
			_, err := formula.Parse(ctx, text)
			if err == nil || ctx.Err() != nil {
				t.Fatalf("%v, %v", err, ctx.Err())
			}
			if said := err.Error(); strings.Contains(said, "\n") || len(said) > 400 {
				t.Errorf("the error is not a short line: %.500s", said)
			}
		})
	}
	for name, text := range map[string]string{
		"set":    "Inev({" + list(100_000, "A%d", ",") + "})",
		"chain":  "Inev(" + list(60_000, "A%d", ",") + ")",
		"regexp": "Inev({" + list(900, "/a{990}b%d/", ",") + "})",
		"often":  "AtMost(1000; A)",
	} {
		if _, err := formula.Parse(context.Background(), text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
