package kinds

import "understudy/steps"

// All lists every kind, in the order in which they are shown.
func All() []steps.Kind {
	return []steps.Kind{
		// Looking.
		GetApplicationsAndWindowsList, GetWindowTree, CaptureScreenshot, ValidateElement, WaitForElement,
		// Acting on elements.
		ClickElement, InvokeElement, HoverElement, TypeIntoElement, PressKey, SetValue, SetSelected, SelectOption,
		ScrollElement, ActivateElement, HighlightElement, StopHighlighting,
		// Acting on the keyboard and the pointer.
		PressKeyGlobal, TypeText, HoldKey, MouseMove, HoldButton, MouseDrag, Scroll,
		// Applications, windows and the clipboard.
		OpenApplication, OpenURL, ChangeWindow, CloseWindow, MoveWindow,
		GetClipboard, SetClipboard,
		// Pictures.
		FindImage, WaitForImage, WaitForIdle, GetPixelColor, ReadText,
		// Browsers.
		NavigateBrowser, ExecuteBrowserScript, ListTabs, ActivateTab, CloseTab, WaitForPage, ReadPage,
		// Without a desktop.
		Delay, SetEnv, Assert, Log, Fail, AskUser, RunCommand,
		ReadFile, WriteFile, EditFile, CopyContent, GlobFiles, GrepFiles,
	}
}

// desktopKind declares a kind of the toolset desktop that moves the focus and may be
// repeated, for declarations that differ in little else.
func desktopKind(name, summary string) steps.Kind {
	return steps.Kind{Name: name, Summary: summary, Toolset: steps.Desktop, Focus: steps.Take, Idempotent: true}
}
