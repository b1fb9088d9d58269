package hoa_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/lts"
)

// An automaton that another tool made is a property of a model.
func ExampleRead() {
	file := `HOA: v1
States: 2
Start: 0
AP: 2 "REQ" "ACK"
Acceptance: 1 Inf(0)
--BODY--
State: 0 {0}  [!0] 0  [0] 1
State: 1      [!1] 1  [1] 0
--END--`
	f, err := hoa.Read(context.Background(), strings.NewReader(file), "response.hoa")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := lts.NewAlphabet([]string{"REQ", "WORK", "ACK"})
	if err != nil {
		log.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p, p.Acceptance(), p.Stops(0), p.Stops(1))

	_, err = hoa.Read(context.Background(), strings.NewReader(strings.Replace(file, "[0] 1", "[0 1", 1)), "response.hoa")
	fmt.Println(err)
	// Output:
	// response.hoa Inf(0) true false
	// response.hoa:7: expected "&", "|" or "]", found "1"
}
