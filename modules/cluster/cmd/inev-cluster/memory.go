package main

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/resources"
)

// budgeted ends all work under a context before the process exceeds --memory or, by default,
// the memory that the system allows, as inev batch does.
func budgeted(c *cli.Context) (context.Context, error) {
	text := c.String("memory")
	if text == "none" {
		debug.SetMemoryLimit(math.MaxInt64)
		return c.Context, nil
	}
	var limit resources.Limit
	var again func() (resources.Limit, bool)
	if text != "" {
		var err error
		if limit.Bytes, err = resources.ParseSize(text); err != nil {
			return nil, fmt.Errorf("--memory %w, nor none", err)
		}
		limit.By = "allowed by --memory"
	} else {
		var known bool
		if limit, known = spared(resources.Available()); !known {
			return c.Context, nil
		}
		if !strings.HasSuffix(limit.By, "GOMEMLIMIT") {
			again = func() (resources.Limit, bool) { return spared(resources.AvailableFromSystem()) }
		}
	}
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), limit.Bytes-limit.Bytes/16))
	return resources.NewBudget(limit, again).With(c.Context), nil
}

// spared is the memory of a limit without a reserve for the system.
func spared(l resources.Limit, known bool) (resources.Limit, bool) {
	if known && !strings.HasSuffix(l.By, "GOMEMLIMIT") {
		l.Bytes -= l.Bytes / 16
	}
	return l, known
}
