// Checks a Counterfoil proof with none of Counterfoil's code: the signature with golang.org/x/mod/sumdb/note, the Merkle
// path with golang.org/x/mod/sumdb/tlog. Those two packages are Go's own, written for its checksum database.
//
//	interop check PROOF ENTRY VKEY   is ENTRY (one line of the ledger, without its newline) in the signed tree?
//	interop sign SKEY TEXT           sign the text in a file with the signer key in a file, print the note
//	interop open NOTE VKEY           open a note with a verifier key, print its text
//
// PROOF, ENTRY, SKEY, TEXT and NOTE are files; VKEY is the verifier key itself. Prints OK, or the reason and exits 1.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "check":
		return check(args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "sign":
		return sign(args[1], args[2])
	case len(args) == 3 && args[0] == "open":
		return open(args[1], args[2])
	}
	return errors.New("usage: interop check PROOF ENTRY VKEY | sign SKEY TEXT | open NOTE VKEY")
}

func check(proofFile, entryFile, vkey string) error {
	data, err := os.ReadFile(proofFile)
	if err != nil {
		return err
	}
	entry, err := os.ReadFile(entryFile)
	if err != nil {
		return err
	}
	head, checkpoint, found := bytes.Cut(data, []byte("\n\n"))
	if !found {
		return errors.New("no checkpoint in the proof")
	}
	index, path, err := parseHead(string(head))
	if err != nil {
		return err
	}
	origin, size, root, err := openCheckpoint(checkpoint, vkey)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(path, size, root, index, tlog.RecordHash(entry)); err != nil {
		return err
	}
	fmt.Printf("OK: entry %d of %d in %s\n", index+1, size, origin)
	return nil
}

// parseHead reads the lines above the checkpoint: version, optional extra data, index, one hash a line.
func parseHead(head string) (int64, tlog.RecordProof, error) {
	lines := strings.Split(head, "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		return 0, nil, errors.New("not a tlog-proof")
	}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		lines = lines[1:]
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "index ") {
		return 0, nil, errors.New("no index in the proof")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[0], "index "), 10, 64)
	if err != nil {
		return 0, nil, err
	}
	path := tlog.RecordProof{}
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return 0, nil, err
		}
		path = append(path, hash)
	}
	return index, path, nil
}

// openCheckpoint verifies the signature first and reads the three lines only then. tlog.ParseTree is no use here: it
// wants the origin of Go's own database.
func openCheckpoint(data []byte, vkey string) (string, int64, tlog.Hash, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return "", 0, tlog.Hash{}, err
	}
	opened, err := note.Open(data, note.VerifierList(verifier))
	if err != nil {
		return "", 0, tlog.Hash{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return "", 0, tlog.Hash{}, errors.New("a checkpoint has three lines")
	}
	if lines[0] != verifier.Name() {
		return "", 0, tlog.Hash{}, errors.New("the key is not named after the origin")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return "", 0, tlog.Hash{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return lines[0], size, root, err
}

func sign(skeyFile, textFile string) error {
	skey, err := os.ReadFile(skeyFile)
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(strings.TrimSuffix(string(skey), "\n"))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(textFile)
	if err != nil {
		return err
	}
	signed, err := note.Sign(&note.Note{Text: string(text)}, signer)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(signed)
	return err
}

func open(noteFile, vkey string) error {
	data, err := os.ReadFile(noteFile)
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	opened, err := note.Open(data, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	fmt.Print(opened.Text)
	return nil
}
