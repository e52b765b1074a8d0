-- how one value is spelled: in JSON, in a cell of a table, in a field of a CSV file
create or replace temp macro instant_text(moment) as
    case when isfinite(moment) then replace(moment::varchar, ' ', 'T') || 'Z' end;

create or replace temp macro json_number(number) as
    case when isfinite(number) then number::varchar end;

-- JSON text as it was recorded; not-a-number is no JSON, so a value that holds one is quoted
create or replace temp macro json_as_recorded(recorded) as
    case
        when regexp_matches(recorded, '(?i)(^|[\[:,\s])-?(nan|inf|infinity)([\s,\]}]|$)') then to_json(recorded)::varchar
        else recorded
    end;

-- text that a spreadsheet would run as a formula gets an apostrophe; a number written as text stays a number
create or replace temp macro harmless(content) as
    case
        when not regexp_matches(content, '^[=+\-@\t\r\n＝＋－＠]') then content
        when regexp_full_match(content, '[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?') then content
        else '''' || content
    end;

-- NULL is an empty field, the empty text a quoted one
create or replace temp macro csv_field(content) as
    case
        when content is null then ''
        when content = '' or regexp_matches(content, '[",;\s]') then '"' || replace(content, '"', '""') || '"'
        else content
    end;
