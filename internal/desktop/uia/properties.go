package uia

// A property is the number of a property of UI Automation.
type property int32

// The properties that are read.
const (
	propRuntimeID      property = 30000
	propBox            property = 30001
	propProcess        property = 30002
	propControlType    property = 30003
	propName           property = 30005
	propFocused        property = 30008
	propFocusable      property = 30009
	propEnabled        property = 30010
	propAutomationID   property = 30011
	propClass          property = 30012
	propHelp           property = 30013
	propPassword       property = 30019
	propHandle         property = 30020
	propOffscreen      property = 30022
	propFramework      property = 30024
	propRequired       property = 30025
	propCanExpand      property = 30028
	propCanInvoke      property = 30031
	propCanRange       property = 30033
	propCanScrollItem  property = 30035
	propCanSelect      property = 30036
	propCanText        property = 30040
	propCanToggle      property = 30041
	propCanValue       property = 30043
	propCanWindow      property = 30044
	propValue          property = 30045
	propValueReadOnly  property = 30046
	propNumber         property = 30047
	propNumberReadOnly property = 30048
	propMinimum        property = 30049
	propMaximum        property = 30050
	propSelectsMany    property = 30060
	propExpandState    property = 30070
	propModal          property = 30077
	propSelected       property = 30079
	propToggleState    property = 30086
	propCanLegacy      property = 30090
	propLegacyValue    property = 30093
	propLegacyState    property = 30096
	propLegacyDefault  property = 30100
	propAriaRole       property = 30101
)

// properties are all of these, by the names that the headers of Windows have for them,
// without UIA_ and PropertyId.
var properties = map[string]property{
	"RuntimeId": propRuntimeID, "BoundingRectangle": propBox, "ProcessId": propProcess, "ControlType": propControlType,
	"Name": propName, "HasKeyboardFocus": propFocused, "IsKeyboardFocusable": propFocusable, "IsEnabled": propEnabled,
	"AutomationId": propAutomationID, "ClassName": propClass, "HelpText": propHelp, "IsPassword": propPassword,
	"NativeWindowHandle": propHandle, "IsOffscreen": propOffscreen, "FrameworkId": propFramework, "IsRequiredForForm": propRequired,
	"IsExpandCollapsePatternAvailable": propCanExpand, "IsInvokePatternAvailable": propCanInvoke, "IsRangeValuePatternAvailable": propCanRange,
	"IsScrollItemPatternAvailable": propCanScrollItem, "IsSelectionItemPatternAvailable": propCanSelect, "IsTextPatternAvailable": propCanText,
	"IsTogglePatternAvailable": propCanToggle, "IsValuePatternAvailable": propCanValue, "IsWindowPatternAvailable": propCanWindow,
	"ValueValue": propValue, "ValueIsReadOnly": propValueReadOnly, "RangeValueValue": propNumber, "RangeValueIsReadOnly": propNumberReadOnly,
	"RangeValueMinimum": propMinimum, "RangeValueMaximum": propMaximum, "SelectionCanSelectMultiple": propSelectsMany,
	"ExpandCollapseExpandCollapseState": propExpandState, "WindowIsModal": propModal, "SelectionItemIsSelected": propSelected,
	"ToggleToggleState": propToggleState, "IsLegacyIAccessiblePatternAvailable": propCanLegacy, "LegacyIAccessibleValue": propLegacyValue,
	"LegacyIAccessibleState": propLegacyState, "LegacyIAccessibleDefaultAction": propLegacyDefault, "AriaRole": propAriaRole,
}

// A pattern is the number of a pattern of UI Automation: a set of methods that an element has.
type pattern int32

// The patterns that are used.
const (
	patInvoke     pattern = 10000
	patValue      pattern = 10002
	patRange      pattern = 10003
	patExpand     pattern = 10005
	patWindow     pattern = 10009
	patSelect     pattern = 10010
	patText       pattern = 10014
	patToggle     pattern = 10015
	patScrollItem pattern = 10017
	patLegacy     pattern = 10018
)

// patterns are all of these, by their names in the headers, with the properties that tell
// whether an element has them.
var patterns = map[string]struct {
	pattern
	available property
}{
	"Invoke": {patInvoke, propCanInvoke}, "Value": {patValue, propCanValue}, "RangeValue": {patRange, propCanRange},
	"ExpandCollapse": {patExpand, propCanExpand}, "Window": {patWindow, propCanWindow}, "SelectionItem": {patSelect, propCanSelect},
	"Text": {patText, propCanText}, "Toggle": {patToggle, propCanToggle}, "ScrollItem": {patScrollItem, propCanScrollItem},
	"LegacyIAccessible": {patLegacy, propCanLegacy},
}

// controlTypes are the names of the control types of UI Automation, from number 50000 on.
var controlTypes = []string{
	"Button", "Calendar", "CheckBox", "ComboBox", "Edit", "Hyperlink", "Image", "ListItem", "List", "Menu", "MenuBar", "MenuItem",
	"ProgressBar", "RadioButton", "ScrollBar", "Slider", "Spinner", "StatusBar", "Tab", "TabItem", "Text", "ToolBar", "ToolTip",
	"Tree", "TreeItem", "Custom", "Group", "Thumb", "DataGrid", "DataItem", "Document", "SplitButton", "Window", "Pane", "Header",
	"HeaderItem", "Table", "TitleBar", "Separator", "SemanticZoom", "AppBar",
}

const firstControlType = 50000
