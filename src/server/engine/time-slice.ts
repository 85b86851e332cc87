export { TimeSlice } from "../../lib/time-slice";
