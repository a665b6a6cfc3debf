package proxy

import (
	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/policy"
)

// PlanFor returns how app data of tool is fitted. maxErrorM is the largest error in metres at which a line is still
// drawn; 0 or less: the tool's own. The plan shares the policy's paths and is not to be changed.
func PlanFor(tool policy.Tool, maxErrorM float64) fitter.Plan {
	plan := fitter.Plan{ComfortableM: tool.ComfortableM, LargestM: tool.MaxErrorM}
	if maxErrorM > 0 {
		plan.LargestM = maxErrorM
	}
	if tool.Verbatim {
		plan.Exact = true
		return plan
	}
	plan.Drop = []string{"apiKey"}
	if len(tool.Lines) == 0 {
		return plan
	}
	plan.Lines = fitterPaths(tool.Lines)
	plan.Indices = fitterPaths(policy.Indices())
	for _, s := range policy.Sheds() {
		plan.Sheds = append(plan.Sheds, fitter.Shed{Name: s.Name, Path: fitter.Path(s.Path), Action: shedActions[s.Action]})
	}
	return plan
}

var shedActions = map[policy.ShedAction]fitter.ShedAction{
	policy.ShortenIDs: fitter.ShortenIDs,
	policy.Remove:     fitter.Remove,
	policy.Halve:      fitter.Halve,
}

func fitterPaths(paths []policy.Path) []fitter.Path {
	converted := make([]fitter.Path, len(paths))
	for i, p := range paths {
		converted[i] = fitter.Path(p)
	}
	return converted
}
