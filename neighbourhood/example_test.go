package neighbourhood_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

func ExampleClassify() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 4, 4)
(0, "REQ", 1)
(1, "WAIT", 1)
(1, "ACK", 2)
(1, "DROP", 3)
`), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	p, _, _ := f.Bind(context.Background(), m.Alphabet())
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		log.Fatal(err)
	}
	fates, err := fate.Compute(ctx, c, p, enrich.Options{})
	if err != nil {
		log.Fatal(err)
	}
	n, err := neighbourhood.Classify(ctx, fates, neighbourhood.All)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range n.States() {
		kind, _ := n.Kind(s)
		fmt.Println("state", s, kind)
	}
	of := n.Counts()
	fmt.Println(of.Correct, "correct,", of.Incorrect, "incorrect,", of.Neutral, "neutral")
	// Output:
	// state 1 mixed-neutral
	// 1 correct, 1 incorrect, 2 neutral
}
