package desktoptest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// witnessArgument makes a test program the application; see Main.
const witnessArgument = "contract-application"

// Main is the TestMain of a package that tests a desktop of Windows.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == witnessArgument {
		RunWitness(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// StartNative starts the application as a program of Windows.
func StartNative(t testing.TB) *Program {
	t.Helper()
	p := &Program{answers: make(chan string, 1)}
	p.run(t, exec.Command(os.Args[0], witnessArgument), nil)
	return p
}

// AnotherNative returns a command line that shows a window of another program.
func AnotherNative(title string) string {
	return fmt.Sprintf("%s %s --window %s", os.Args[0], witnessArgument, title)
}
