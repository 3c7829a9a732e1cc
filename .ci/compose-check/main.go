// Reads a Compose file as Compose itself does, with the loader that Compose is built on: its schema, its
// variables, its references. Prints the services; ends with 1 and the reason where Compose would refuse the file.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv)
	if err != nil {
		refuse(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		refuse(err)
	}
	fmt.Println(strings.Join(project.ServiceNames(), " "))
}

func refuse(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
