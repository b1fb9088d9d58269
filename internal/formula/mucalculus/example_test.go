package mucalculus_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/formula/temporal"
)

func Example() {
	// nu X . mu Y . (<true> X or <true> Y)
	f := mucalculus.New("again and again", 0, []mucalculus.Node{
		{Kind: mucalculus.Fixpoint, All: true, Parts: []int{1}},
		{Kind: mucalculus.Fixpoint, Parts: []int{2}},
		{Kind: mucalculus.Connective, Parts: []int{3, 4}},
		{Kind: mucalculus.Modality, Parts: []int{0}, Action: temporal.True()},
		{Kind: mucalculus.Modality, Parts: []int{1}, Action: temporal.True()},
	}, nil)
	fmt.Println(f.Depth(), f.Node(0).Priority, f.Node(1).Priority)
	// Output: 2 2 1
}
