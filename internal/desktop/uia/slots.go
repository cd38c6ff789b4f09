package uia

// slots are the places of methods in the tables of their interfaces. A call names the method.
var slots = map[string]int{
	"IUnknown.QueryInterface": 0, "IUnknown.AddRef": 1, "IUnknown.Release": 2,

	"IUIAutomation.ElementFromHandleBuildCache": 10, "IUIAutomation.ElementFromPointBuildCache": 11, "IUIAutomation.GetFocusedElementBuildCache": 12,
	"IUIAutomation.CreateTreeWalker": 13, "IUIAutomation.CreateCacheRequest": 20, "IUIAutomation.CreateTrueCondition": 21,

	"IUIAutomationCacheRequest.AddProperty": 3, "IUIAutomationCacheRequest.put_TreeScope": 7, "IUIAutomationCacheRequest.put_TreeFilter": 9,

	"IUIAutomationTreeWalker.GetParentElementBuildCache": 9,

	"IUIAutomationElement.SetFocus": 3, "IUIAutomationElement.FindAllBuildCache": 8, "IUIAutomationElement.BuildUpdatedCache": 9,
	"IUIAutomationElement.GetCachedPropertyValueEx": 13, "IUIAutomationElement.GetCurrentPatternAs": 14, "IUIAutomationElement.GetCachedChildren": 19,

	"IUIAutomationElementArray.get_Length": 3, "IUIAutomationElementArray.GetElement": 4,

	"IUIAutomationInvokePattern.Invoke": 3, "IUIAutomationTogglePattern.Toggle": 3, "IUIAutomationScrollItemPattern.ScrollIntoView": 3,
	"IUIAutomationValuePattern.SetValue": 3, "IUIAutomationRangeValuePattern.SetValue": 3, "IUIAutomationWindowPattern.Close": 3,
	"IUIAutomationExpandCollapsePattern.Expand": 3, "IUIAutomationExpandCollapsePattern.Collapse": 4,
	"IUIAutomationSelectionItemPattern.Select": 3, "IUIAutomationSelectionItemPattern.RemoveFromSelection": 5,
	"IUIAutomationLegacyIAccessiblePattern.DoDefaultAction": 4, "IUIAutomationLegacyIAccessiblePattern.SetValue": 5,
	"IUIAutomationTextPattern.GetSelection": 5, "IUIAutomationTextPattern.get_DocumentRange": 7,

	"IUIAutomationTextRangeArray.get_Length": 3, "IUIAutomationTextRangeArray.GetElement": 4,
	"IUIAutomationTextRange.Clone": 3, "IUIAutomationTextRange.GetText": 12, "IUIAutomationTextRange.MoveEndpointByUnit": 14,
	"IUIAutomationTextRange.MoveEndpointByRange": 15, "IUIAutomationTextRange.Select": 16,
}

// interfaces are the IDs of the interfaces that are asked for.
var interfaces = map[string]string{
	"IUIAutomation":                         "30cbe57d-d9d0-452a-ab13-7ac5ac4825ee",
	"IUIAutomationInvokePattern":            "fb377fbe-8ea6-46d5-9c73-6499642d3059",
	"IUIAutomationValuePattern":             "a94cd8b1-0844-4cd6-9d2d-640537ab39e9",
	"IUIAutomationRangeValuePattern":        "59213f4f-7346-49e5-b120-80555987a148",
	"IUIAutomationExpandCollapsePattern":    "619be086-1f4e-4ee4-bafa-210128738730",
	"IUIAutomationWindowPattern":            "0faef453-9208-43ef-bbb2-3b485177864f",
	"IUIAutomationSelectionItemPattern":     "a8efa66a-0fda-421a-9194-38021f3578ea",
	"IUIAutomationTextPattern":              "32eba289-3583-42c9-9c59-3b6d9a1e9b6a",
	"IUIAutomationTogglePattern":            "94cf8058-9b8d-4ab9-8bfd-4cd0a33c8c70",
	"IUIAutomationScrollItemPattern":        "b488300f-d015-4f19-9c29-bb595e3645ef",
	"IUIAutomationLegacyIAccessiblePattern": "828055ad-355b-4435-86d5-3b51c14a9b1b",
}
