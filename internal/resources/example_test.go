package resources_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/resources"
)

// Work asks before it makes a large table, and is told where there is no room.
func ExampleAsk() {
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "given as the limit"}, nil)
	ctx := budget.With(context.Background())
	ctx, leave := resources.Join(ctx)
	defer leave()
	err := resources.Ask(ctx, 1<<40)
	var exceeded *resources.ExceededError
	fmt.Println(errors.As(err, &exceeded))
	// Output:
	// true
}
