package values_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/property/values"
)

// What a step changes is told at its place.
func ExampleDiff() {
	before, after := values.Parse(`<<"wait", "cs">>`), values.Parse(`<<"cs", "cs">>`)
	for _, change := range values.Diff(before, after) {
		fmt.Println(change.String("pc"))
	}
	// Output: pc[1]: "wait" → "cs"
}
