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
	for _, j := range jobs.Jobs {
		fmt.Println(j)
	}
	outcome, err := batch.Run(ctx, jobs, batch.Settings{Folder: filepath.Join(folder, "results")})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range outcome.Results {
		fmt.Println(r)
	}
	fmt.Println(outcome)
	// Output:
	// service.aut, Inev(REQ)
	// service.aut, Inev(REQ, ACK)
	// service.aut: Inev(REQ): satisfied
	// service.aut: Inev(REQ, ACK): violated: REQ, DROP (deadlock)
	// 2 of 2 jobs: 1 satisfied, 1 violated
}

// A manifest is printed with the names of its jobs.
func ExampleManifest_String() {
	m := &batch.Manifest{
		File: "nightly.yaml",
		Jobs: []batch.Job{
			{Name: "answered", Model: "service.aut", Formula: "Inev(REQ, ACK)"},
			{Name: "bounded", Model: "service.aut", Formula: "Inev(REQ)"},
		},
	}
	fmt.Println(m)
	fmt.Println(m.Jobs[0])
	// Output:
	// nightly.yaml: 2 jobs: answered, bounded
	// answered: service.aut, Inev(REQ, ACK)
}
