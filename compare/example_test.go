package compare_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// In the new version a request can be refused.
func ExampleModels() {
	read := func(text string) *lts.LTS {
		m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return m
	}
	old := read("des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	latest := read("des (0,3,3)\n(0,REQ,1)\n(1,ACK,2)\n(1,NAK,0)\n")
	b, err := compare.Models(context.Background(), old, latest, compare.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b)
	fmt.Println(b.Old, "|", b.Edit, "|", b.Edit.Changes)
	for _, c := range b.Edit.Changes {
		fmt.Println(c.Kind, c.Transition.Label, "from", c.Transition.From, "to", c.Transition.To)
	}
	// Output:
	// not equivalent (strong): after REQ only the new model can do NAK
	// 3 states, 2 transitions | changes: 1; new states: 0; gone states: 0 | [added 1 -NAK-> 0]
	// added NAK from 1 to 0
}

// A version that violates the property is printed with its run.
func ExampleProperty() {
	ctx := context.Background()
	read := func(name, text string) compare.Version {
		m, _, err := aut.Read(ctx, strings.NewReader(text), aut.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return compare.Version{LTS: m, Source: explain.Source{File: name}}
	}
	old := read("v1.aut", "des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	latest := read("v2.aut", "des (0,3,4)\n(0,REQ,1)\n(1,ACK,2)\n(1,DROP,3)\n")
	f, err := actl.Parse(ctx, "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	v, err := compare.Property(ctx, old, latest, f, explain.Options{}, compare.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	fmt.Println(v.Divergence)
	// Output:
	// old: v1.aut satisfies Inev(REQ, ACK); new: v2.aut violates Inev(REQ, ACK): REQ, DROP, (deadlock)
	// follows for 1 step; then the run takes DROP, and the other version can do ACK
}
