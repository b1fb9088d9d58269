package lts_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/lts"
)

// What a step changes is what there is to say about it.
func ExampleValues_Changed() {
	b, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "small"}, {Name: "big"}})
	if err != nil {
		log.Fatal(err)
	}
	for s, jugs := range [][2]string{{"0", "5"}, {"3", "2"}, {"0", "2"}} {
		for p, text := range jugs {
			if err := b.Set(lts.State(s), p, b.Value(p, []byte(text))); err != nil {
				log.Fatal(err)
			}
		}
	}
	t, err := b.Build(3)
	if err != nil {
		log.Fatal(err)
	}
	for p := range t.Changed(1, 2) {
		fmt.Println(t.Parameter(p).Name, "=", t.Text(p, t.Value(2, p)))
	}
	// Output: small = 0
}
