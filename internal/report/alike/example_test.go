package alike_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/report/alike"
	"github.com/inev-lts/inev/lts"
)

// ABORT and FAIL lead to the same state, RETRY to another.
func ExampleGroups() {
	labels := []string{"ABORT", "RETRY", "FAIL"}
	targets := []lts.State{4, 1, 4}
	groups := alike.Groups(len(labels), func(i int) (kind int, label string, to lts.State) {
		return 0, labels[i], targets[i]
	})
	for _, group := range groups {
		var together []string
		for _, i := range group {
			together = append(together, labels[i])
		}
		fmt.Println(together)
	}
	// Output:
	// [ABORT FAIL]
	// [RETRY]
}
