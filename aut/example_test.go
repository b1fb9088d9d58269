package aut_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/inev-lts/inev/aut"
)

func Example() {
	text := `des(0, 3, 2)
(0, REQUEST, 1)
(1, "ANSWER !"yes, of course"", 0)
(1, TIMEOUT, 0)
`
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{Name: "service.aut"})
	if err != nil {
		fmt.Println(err)
		return
	}
	warnings, err := aut.Write(os.Stdout, m)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(warnings[:1], "\n"))
	// Output:
	// des (0, 3, 2)
	// (0, "REQUEST", 1)
	// (1, "ANSWER !"yes, of course"", 0)
	// (1, "TIMEOUT", 0)
	// label "ANSWER !\"yes, of course\"" holds a double quote: mCRL2 takes the label to end there
}

func ExampleRead_truncated() {
	_, _, err := aut.Read(context.Background(), strings.NewReader("des (0, 172, 91)\n(0, REQUEST, 90)\n"), aut.Options{Name: "service.aut"})
	fmt.Println(err)
	// Output:
	// service.aut:2: declared 172 transitions, found 1: the file looks truncated; fetch it again, or read it leniently
}
