//go:build !linux && !js

package frontend

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
)

// roomAt knows no limit on this system.
func roomAt(string) (int64, bool) { return 0, false }

// guard does nothing on this system.
func guard(context.Context, context.CancelCauseFunc, int, string, resources.Limit) (wait func()) {
	return func() {}
}
