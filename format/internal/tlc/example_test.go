package tlc_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/inev-lts/inev/format/internal/tlc"
)

// TLC wrote the graph of the two jugs of testdata/Jugs.tla.
func ExampleRead() {
	f, err := os.Open("testdata/jugs.dot")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	m, _, err := tlc.Read(context.Background(), f, tlc.Options{States: true})
	if err != nil {
		log.Fatal(err)
	}
	labels, targets := m.LTS.Out(m.LTS.Initial())
	for i, to := range targets {
		fmt.Print(m.LTS.Alphabet().Text(labels.At(i)))
		for p := range m.States.Changed(m.LTS.Initial(), to) {
			fmt.Print(": ", m.States.Parameter(p).Name, " = ", m.States.Text(p, m.States.Value(to, p)))
		}
		fmt.Println()
	}
	// Output:
	// FillSmall: small = 3
	// FillBig: big = 5
	// EmptySmall
	// EmptyBig
	// SmallToBig
	// BigToSmall
}
