// Package build builds inev for programs that run it. It is built from the working copy in the
// way of a release, without C.
package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Command writes inev to a file. It fails if the working copy does not compile.
// Cost: linking takes some seconds, if everything has been compiled before.
func Command(ctx context.Context, file string) error {
	// The command has its own module, since it depends on libraries that the module of the tools
	// lacks.
	root, err := goOutput(ctx, "list", "-m", "-f", "{{.Dir}}", "github.com/inev-lts/inev")
	if err != nil {
		return fmt.Errorf("the module of inev cannot be found: %w", err)
	}
	link := exec.CommandContext(ctx, "go", "-C", root, "build", "-o", file, "./cmd/inev")
	link.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := link.CombinedOutput(); err != nil {
		return fmt.Errorf("inev cannot be built: %w\n%s", err, said)
	}
	return nil
}
