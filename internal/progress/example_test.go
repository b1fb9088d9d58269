package progress_test

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/progress"
)

func ExampleWith() {
	ctx := progress.With(context.Background(), func(m *progress.Meter) {
		fmt.Println("begins to", m.Phase, m.Total)
	})
	meter := progress.Start(ctx, "read", progress.Bytes, 2048)
	meter.Add(1024)
	fmt.Println(meter.Done(), "of", meter.Total)
	// Output:
	// begins to read 2048
	// 1024 of 2048
}
