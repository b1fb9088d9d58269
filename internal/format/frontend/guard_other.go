//go:build !linux && !js

package frontend

import (
	"context"
)

// roomAt knows no limit on this system.
func roomAt(string) (int64, bool) { return 0, false }

// guard does nothing on this system.
func guard(context.Context, context.CancelCauseFunc, int, string) (wait func()) {
	return func() {}
}
