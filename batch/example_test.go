package batch_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/batch"
)

// A folder with a model and its properties is a batch; its results stay in a folder.
func ExampleRun() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "batch-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	files := map[string]string{
		"service.aut":  "des (0, 3, 4)\n(0, \"REQ\", 1)\n(1, \"ACK\", 2)\n(1, \"DROP\", 3)\n",
		"service.inev": "Inev(REQ)\nInev(REQ, ACK)\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	jobs, err := batch.Open(ctx, folder)
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := batch.Run(ctx, jobs, batch.Settings{Folder: filepath.Join(folder, "results")})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range outcome.Results {
		fmt.Println(r)
	}
	// Output:
	// service.aut: Inev(REQ): satisfied
	// service.aut: Inev(REQ, ACK): violated: REQ, DROP (deadlock)
}
