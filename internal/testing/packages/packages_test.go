package packages

import (
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"- folder: a\n  packages:\n    - {name: b, is: x}\n":                            "b: it does not lie in the folder a",
		"- folder: a\n  packages:\n    - {name: a, is: x}\n    - {name: a, is: x}\n":    "a: it is there twice",
		"- folder: a\n  packages:\n    - {name: a, is: x, imports: a/b}\n":              "a: a/b, which it imports, does not stand above it",
		"- folder: a\n  packages:\n    - {name: a}\n":                                   "a: it needs a sentence",
		"- folder: a\n  packages:\n    - {name: a, is: \"x | y\"}\n":                    "a: it needs a sentence",
		"- folder: a\n  packages:\n    - {name: a, is: x, invariant: y}\n":              "field invariant not found",
		"- folder: a\n  packages:\n    - {name: a, is: x, races: [y, z]}\n":             "cannot unmarshal",
		"- folder: a\n  packages:\n    - {name: a/b/c, is: x}\n    - {name: ab, is: y}": "ab: it does not lie in the folder a",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), File) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

const two = `- folder: a
  for: "first"
  packages:
    - name: a/internal/x
      is: "hidden"
      races: all
      unraced: Slow|Large
    - name: a
      is: "what ` + "`a`" + ` is, told in so many words that a line of the package comment does not hold it"
      keeps: "order"
      races: Some|More
- folder: cmd
  for: "second"
  tests: true
  packages:
    - name: cmd/b
      is: "the command"
    - name: cmd/tests
      is: "for tests"
      races: all
`

func TestMade(t *testing.T) {
	folders, err := Parse([]byte(two))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		made      func([]Folder, string) (string, error)
		was, want string
	}{
		{Overview, "// P is.\n//\n//   - [old]: x\n//   - [older]: y\n//\n// End.\npackage p\n",
			"// P is.\n//\n//   - [github.com/inev-lts/inev/a]: what a is, told in so many words that a line of the\n//     package comment does not hold it\n//\n// End.\npackage p\n"},
		{Rows, "Rows:\n\n" + header + "| old |\n| older |\n\nEnd.\n",
			"Rows:\n\n" + header + "| `a` | first | `internal/x` | order |\n| `cmd` | second | `b`, `tests` | – |\n\nEnd.\n"},
		{Runs, "one\n" + runsBegin + "old\n" + runsEnd + "two\n",
			"one\n" + runsBegin + "CGO_ENABLED=1 go test -short -race -skip 'Slow|Large' ./a/internal/x ./cmd/tests\nCGO_ENABLED=1 go test -short -race -run 'Some|More' ./a\n" + runsEnd + "two\n"},
	} {
		got, err := c.made(folders, c.was)
		if err != nil || got != c.want {
			t.Errorf("%v; made\n%s\nwant\n%s", err, got, c.want)
		}
		if again, err := c.made(folders, got); err != nil || again != got {
			t.Errorf("%v; made again\n%s", err, again)
		}
		if _, err := c.made(folders, "nothing\n"); err == nil {
			t.Error("something is made where nothing was")
		}
	}
}

func TestFind(t *testing.T) {
	folders, err := Table()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"examples/abp": "examples/*", "internal/testing/exampletest": "internal/testing/exampletest", "lts": "lts", "lt": ""} {
		if p, there := Find(folders, name); p.Name != want || there != (want != "") {
			t.Errorf("the row of %s is that of %q", name, p.Name)
		}
	}
}
