package upstream

import "math"

// guidance is turn-by-turn instructions where the road turns or changes its kind, about one in seven kilometres.
func guidance(s *sectioner) object {
	l := s.line
	instructions := list{s.instruction(0, "DEPART", 0)}
	for i := 1; i < l.last(); i++ {
		angle := turn(heading(l.points[i], l.points[i+1]) - heading(l.points[i-1], l.points[i]))
		previous, _ := instructions[len(instructions)-1].(object).get("pathPointIndex").(int)
		if l.distM[i]-l.distM[previous] < 150 {
			continue
		}
		switch {
		case l.class[i] != l.class[i+1] && l.class[i+1] == ramp:
			instructions = append(instructions, s.instruction(i, "MOTORWAY_EXIT_RIGHT", 0))
		case l.class[i] != l.class[i+1] && l.class[i+1] == motorway:
			instructions = append(instructions, s.instruction(i, "ENTER_MOTORWAY", 0))
		case l.class[i] <= rural && math.Abs(angle) > 0.9:
			instructions = append(instructions, s.instruction(i, manoeuvre(angle), angle))
		}
	}
	return object{{"instructions", append(instructions, s.instruction(l.last(), "ARRIVE", 0))}}
}

func manoeuvre(angle float64) string {
	if angle > 0 {
		return "TURN_LEFT"
	}
	return "TURN_RIGHT"
}

func (s *sectioner) instruction(vertex int, what string, angle float64) object {
	c := s.countryAt(vertex)
	road := object{{"streetName", object{{"text", pick(s.r, c.streets)}}}}
	if s.line.class[vertex] >= ramp {
		road = append(road, member{"roadShields", list{object{{"shieldContent", roadNumber(s.r, c, motorway)}}}})
	}
	o := object{
		{"maneuver", what},
		{"maneuverPoint", s.line.points[vertex]},
		{"pathPointIndex", vertex},
		{"routeOffsetInMeters", int(s.line.distM[vertex])},
		{"drivingSide", "RIGHT"},
		{"nextRoadInfo", road},
	}
	if angle != 0 {
		o = append(o, member{"turnAngleInDegrees", int(-angle * 180 / math.Pi)},
			member{"landmark", "AT_TRAFFIC_LIGHT"}, member{"offsetFromManeuverInMeters", -12})
	}
	return o
}
