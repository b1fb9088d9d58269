package formulafile_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/formulafile"
)

// A file may have comments, and an error names its line.
func ExampleParse() {
	parse := func(text string) (*actl.Formula, error) { return actl.Parse(context.Background(), text) }
	f, err := formulafile.Parse("must.inev", []byte("# what must happen\nInev(PUT,\n  GET)\n"), parse)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f)
	_, err = formulafile.Parse("must.inev", []byte("# what must happen\nInev(PUT,\n  {GET)\n"), parse)
	fmt.Println(err)
	// Output:
	// Inev(PUT, GET)
	// must.inev:3: expected "," or "}", found ")" (column 7)
}

// parse reads the content of a file of a pattern.
func parse(name string, content []byte) (*actl.Formula, error) {
	return formulafile.Parse(name, content, func(text string) (*actl.Formula, error) { return actl.Parse(context.Background(), text) })
}

func TestParse(t *testing.T) {
	const content = "\ufeff# what must happen\r\n\r\nInev(PUT,\r\n  # then\r\n  GET)\r\n"
	f, err := parse("p.inev", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != "Inev(PUT, GET)" {
		t.Errorf("the file holds %s", got)
	}

	tests := []struct{ content, want, caret string }{
		{"# one\nInev(PUT,\n  {GET\n)\n", `p.inev:4: expected "," or "}", found ")" (column 1)`, ")\n^"},
		{"Inev(PUT,\r\n GET\r\n\r\n", `p.inev:2: expected "," or ")", found end of formula (column 5)`, " GET\n    ^"},
		{"Inev(\"PUT\r\n\")", `p.inev:1: expected the quote (") that ends the label begun at column 6, found end of line (column 10)`, "Inev(\"PUT\n         ^"},
		{"# only this\n", `p.inev:1: expected a property, such as Inev(A, B), Response(A; B) or G (A -> F B), found end of formula (column 1)`, "\n^"},
	}
	for _, test := range tests {
		_, err := parse("p.inev", []byte(test.content))
		var syntax *actl.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v", test.content, err)
			continue
		}
		if syntax.Error() != test.want || syntax.Caret() != test.caret {
			t.Errorf("%q:\n%s\n%s\nwant\n%s\n%s", test.content, syntax, syntax.Caret(), test.want, test.caret)
		}
	}
}
