package extension

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows/registry"
)

// hostKey is the key of our program below that of a browser.
func hostKey(browser string) string { return browser + `\NativeMessagingHosts\` + hostName }

// hasKey reports whether a browser has a key of this user.
func hasKey(browser string) bool {
	k, err := registry.OpenKey(registry.CURRENT_USER, browser, registry.QUERY_VALUE)
	if err != nil {
		return false
	}
	k.Close()
	return true
}

// setKey tells a browser where the description of our program is.
func setKey(browser, path string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, hostKey(browser), registry.SET_VALUE)
	if err != nil {
		return err
	}
	return errors.Join(k.SetStringValue("", path), k.Close())
}

func dropKey(browser string) error {
	err := registry.DeleteKey(registry.CURRENT_USER, hostKey(browser))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
