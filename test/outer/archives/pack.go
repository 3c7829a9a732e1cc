package main

import (
	"archive/zip"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	file, err := os.Create(os.Args[2])
	check(err)
	archive := zip.NewWriter(file)
	check(archive.AddFS(os.DirFS(os.Args[1])))
	check(archive.Close())
	check(file.Close())
}
